/** The text of a response, unless it is longer than it may be. */
export async function readBounded(response, mostBytes) {
  if (!response.body) return '';
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
