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

/** How an upstream is spoken to: in one protocol, or in the client's own where its vendor has it. */
export const upstreamProtocols = [...protocolNames, 'any'] as const
export type UpstreamProtocol = (typeof upstreamProtocols)[number]

/** The protocol of whoever does not say which; any vendor is asked for its models in it. */
export const defaultProtocol: ProtocolName = protocolNames[0]
