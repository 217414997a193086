/** Variable with the file for the surface of a server that is started to record it. */
export const surfaceVariable = 'AGENTTOOLS_SURFACE_FILE';
