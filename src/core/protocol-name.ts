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
