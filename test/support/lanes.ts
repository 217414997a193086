/** Works on all things, on three at a time. */
export async function inLanes<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const waiting = [...things];
  const lane = async () => {
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) await work(thing);
  };
  await Promise.all([lane(), lane(), lane()]);
}
