/** Returns the facts that the app needs. The app loads the notebook itself from the cloud. */
export default function notebookViewer({ url, allowInteract = true, maxHeight }) {
  if (!/^https:\/\/./i.test(url)) {
    const text = `"${url}" is not the address of a notebook. Expected one like https://www.wolframcloud.com/obj/….`;
    return { content: [{ type: 'text', text }], isError: true };
  }
  return JSON.stringify({ url, allowInteract, ...(maxHeight > 0 && { maxHeight }) });
}
