import { type ProtocolName, protocolNames } from '../../../src/console-api/contract.ts'
import { findCode } from './find-code.ts'

/** The names by which the providers' own documents call the endpoints; the same in every language. */
export const protocolLabels: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages',
  'generate-content': 'Generate Content',
}

export function protocolLabel(name: string): string {
  const known = findCode(protocolNames, name)
  return known === undefined ? name : protocolLabels[known]
}
