export declare function startTurns(
  limit?: number,
): Promise<{ readonly port: number; readonly close: () => void }>;
