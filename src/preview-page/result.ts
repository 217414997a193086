const place = document.getElementById('result')!;

type Fields = Readonly<Record<string, unknown>>;

/** Hides the result of the last request. */
export function clearResult(): void {
  place.hidden = true;
  place.replaceChildren();
}

/** Shows the result of a request, with its texts and images first. Nothing in it becomes HTML. */
export function showResult(result: unknown): void {
  const { content, messages, contents, isError, structuredContent, ...rest } = asFields(result);
  const parts: HTMLElement[] = [];
  if (isError === true) parts.push(paragraph('The tool failed.', 'error'));
  for (const block of asList(content)) parts.push(showBlock(block));
  for (const { role, content: block } of asList(messages)) {
    parts.push(paragraph(String(role), 'note'), showBlock(asFields(block)));
  }
  for (const block of asList(contents)) {
    parts.push(paragraph(`${block.uri} ${block.mimeType ?? ''}`, 'note'), showBlock(block));
  }
  if (structuredContent !== undefined)
    parts.push(paragraph('Structured content', 'note'), code(structuredContent));
  if (parts.length === 0 || Object.keys(rest).length > 0) parts.push(code(rest));
  show(parts);
}

/** Shows the reason why a request has no result. */
export function showFailure(message: string): void {
  show([paragraph(message, 'error')]);
}

function show(parts: readonly HTMLElement[]): void {
  place.replaceChildren(...parts);
  place.hidden = false;
}

function showBlock(block: Fields): HTMLElement {
  const { type, text, data, blob, mimeType } = block;
  if (typeof text === 'string') return code(text);
  const bytes = type === 'image' || blob !== undefined ? (data ?? blob) : undefined;
  if (typeof bytes === 'string' && /^image\/[\w.+-]+$/.test(String(mimeType))) {
    const image = document.createElement('img');
    image.alt = `Image in the result, ${mimeType}`;
    image.src = `data:${mimeType};base64,${bytes}`;
    return image;
  }
  return code(block);
}

function code(value: unknown): HTMLElement {
  const element = document.createElement('pre');
  element.textContent = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return element;
}

function paragraph(text: string, style: string): HTMLElement {
  const element = document.createElement('p');
  element.className = style;
  element.textContent = text;
  return element;
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : { value };
}

function asList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(asFields) : [];
}
