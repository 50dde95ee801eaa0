export const protocolNames = [
  'chat-completions',
  'responses',
  'messages',
  'generate-content',
] as const

export type ProtocolName = (typeof protocolNames)[number]

export function isProtocolName(text: string): text is ProtocolName {
  return (protocolNames as readonly string[]).includes(text)
}

/** The protocol of an upstream: a fixed one, or the client's own if the vendor supports it. */
export const upstreamProtocols = [...protocolNames, 'any'] as const
export type UpstreamProtocol = (typeof upstreamProtocols)[number]

/** The default protocol. The gateway also uses it to list the models of any vendor. */
export const defaultProtocol: ProtocolName = protocolNames[0]
