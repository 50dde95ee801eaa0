/** The keep-alive of this protocol: its clients do not count comment lines as activity. */
export const keepAlive = 'event: ping\ndata: {"type": "ping"}\n\n'
