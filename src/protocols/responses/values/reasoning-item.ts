import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import { gatewayIssuer } from '../../fit/seal-opaque.ts'
import type { TurnList } from '../decode-request/turn-list.ts'
import { openCarried } from './opaque.ts'

/** A reasoning item: the model's reasoning, or an envelope with the signature of a neighbouring part. */
export function decodeReasoningItem(item: JsonObject, turns: TurnList): void {
  const text = reasoningText(item)
  const sealed = stringAt(item, 'encrypted_content')
  if (sealed === undefined || sealed === '') {
    addUnsigned(text, turns)
    return
  }
  const { opaque, position } = openCarried(sealed)
  if (opaque.issuer === gatewayIssuer) addUnsigned(opaque.data || text, turns)
  else if (position === 'next') turns.signNext(opaque)
  else if (position === 'last') turns.signLast(opaque)
  else turns.assistant([{ type: 'reasoning', text, opaque }])
}

/** Reasoning without an issuing vendor continues without a token. */
function addUnsigned(text: string, turns: TurnList): void {
  if (text !== '') turns.assistant([{ type: 'reasoning', text }])
}

/** The summary is for people. Open-weight models show the reasoning itself instead. */
export function reasoningText(item: JsonObject): string {
  return joinTexts(item['summary']) || joinTexts(item['content'])
}

function joinTexts(parts: unknown): string {
  if (!Array.isArray(parts)) return ''
  const texts = parts.map((part: unknown) => (isObject(part) ? stringAt(part, 'text') : undefined))
  return texts.filter((text) => text !== undefined && text !== '').join('\n\n')
}
