import { isObject, type JsonObject } from '../../../wire/json.ts'
import { fieldOf, listOrSingle } from './read-field.ts'

/** The content of one part for the client: text, or anything else that is not empty. */
export interface PartReading {
  readonly text: string
  /** The reasoning part of the text. */
  readonly thought: string
  readonly isContent: boolean
}

const nothing: PartReading = { text: '', thought: '', isContent: false }

/** The model's text in a candidate, for an estimate of its tokens. */
export function textOfCandidate(candidate: JsonObject): PartReading {
  const content = candidate['content']
  if (!isObject(content)) return nothing
  let text = ''
  let thought = ''
  let isContent = false
  for (const part of listOrSingle(content['parts'])) {
    if (!isObject(part)) continue
    if (typeof part['text'] === 'string') {
      text += part['text']
      if (part['thought'] === true) thought += part['text']
      continue
    }
    const call = fieldOf(part, 'functionCall')
    if (isObject(call)) text += callText(call)
    // A signature alone is not content.
    isContent ||= Object.keys(part).some((name) => name !== 'thoughtSignature')
  }
  return { text, thought, isContent: isContent || text !== '' }
}

function callText(call: JsonObject): string {
  const name = typeof call['name'] === 'string' ? call['name'] : ''
  const given = call['args'] ?? call['partialArgs']
  return given === undefined ? name : name + JSON.stringify(given)
}
