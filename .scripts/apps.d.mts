export declare function appFiles(): string[];
export declare function inlined(html: string): string;
export declare function minified(name: string, element?: 'script' | 'style'): string;
