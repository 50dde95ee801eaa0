/** What is sent in silence: clients of this protocol take no comment lines for a sign of life. */
export const keepAlive = 'event: ping\ndata: {"type": "ping"}\n\n'
