/** Other platforms bundle `agenttools` with the code that imports it. */
export function supplyAgentTools(): boolean {
  return false;
}
