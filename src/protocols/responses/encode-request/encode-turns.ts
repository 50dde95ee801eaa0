import type {
  MediaPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { nativeIssuer } from '../values/opaque.ts'
import { encodeContent, isContent } from './encode-content.ts'

type Item = JsonObject | RawJson

/** The conversation as items, without ids: the upstream rejects ids that it has not issued. */
export function encodeTurns(turns: readonly Turn[], target: Target, notes: Notes): Item[] {
  const items: Item[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') encodeAssistant(turn.parts, target, notes, items)
    else encodeOthers(turn, notes, items)
  }
  return items
}

/** Empty text is dropped beside other parts. Alone, it is the user's turn and must be kept. */
function encodeOthers({ role, parts }: Turn, notes: Notes, items: Item[]): void {
  if (role === 'user' && parts.length > 0 && parts.every(isEmptyText)) {
    items.push({ role, content: '' })
    return
  }
  let content: (TextPart | MediaPart)[] = []
  const flush = (): void => {
    if (content.length > 0) items.push({ role, content: encodeContent(content, notes) })
    content = []
  }
  for (const part of parts) {
    if (isContent(part)) {
      if (!isEmptyText(part)) content.push(part)
      continue
    }
    flush()
    if (part.type === 'tool-result') items.push(encodeResult(part, notes))
    else if (part.type === 'hosted') encodeHosted(part, notes, items)
  }
  flush()
}

function isEmptyText(part: Part): boolean {
  return part.type === 'text' && part.text === ''
}

/** Reasoning must be followed by the part that it led to, so reasoning at the end is dropped. */
function encodeAssistant(
  parts: readonly Part[],
  target: Target,
  notes: Notes,
  items: Item[],
): void {
  let thoughts: Item[] = []
  const add = (item: Item): void => {
    if (thoughts.length > 0) {
      for (const thought of thoughts) items.push(thought)
      thoughts = []
    }
    items.push(item)
  }
  for (const part of parts) {
    switch (part.type) {
      case 'text':
      case 'refusal':
        if (part.type === 'text') noteLost(part, notes)
        if (part.text !== '') add({ role: 'assistant', content: part.text })
        break
      case 'reasoning': {
        const item = encodeReasoning(part, target)
        if (item) thoughts.push(item)
        else noteThought(notes)
        break
      }
      case 'tool-call':
        noteLost(part, notes)
        add(encodeCall(part))
        break
      case 'hosted': {
        const hosted: Item[] = []
        encodeHosted(part, notes, hosted)
        for (const item of hosted) add(item)
        break
      }
      case 'media':
        notes.lossy('messages', 'media_dropped')
        break
      case 'tool-result':
        add(encodeResult(part, notes))
        break
    }
  }
  if (thoughts.length > 0) noteThought(notes)
}

/** Notes members of a text or a call that this protocol does not have. */
function noteLost(part: TextPart | ToolCallPart, notes: Notes): void {
  if (part.opaque !== undefined) notes.harmless('reasoning', 'signature_dropped')
}

/** Only reasoning in the history is dropped. The request for reasoning stays. */
function noteThought(notes: Notes): void {
  notes.harmless('reasoning', 'history_dropped')
}

/** Only reasoning that this vendor has sealed has a meaning for it. */
function encodeReasoning({ text, opaque }: ReasoningPart, target: Target): Item | undefined {
  const isOwn = opaque?.issuer === target.issuer || opaque?.issuer === nativeIssuer
  if (!opaque || !isOwn || opaque.kind !== 'sealed') return undefined
  const summary = text === '' ? [] : [{ type: 'summary_text', text }]
  return { type: 'reasoning', summary, encrypted_content: opaque.data }
}

function encodeCall({ id, name, form, argumentsText, namespace }: ToolCallPart): Item {
  const own = namespace === undefined ? {} : { namespace }
  return form === 'custom'
    ? { type: 'custom_tool_call', call_id: id, name, ...own, input: argumentsText }
    : {
        type: 'function_call',
        call_id: id,
        name,
        ...own,
        arguments: argumentsText === '' ? '{}' : argumentsText,
      }
}

/** The protocol has no field for a failed tool, so the text reports the failure. */
function encodeResult(part: ToolResultPart, notes: Notes): Item {
  const type = part.form === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
  const parts = part.isError ? markError(part.parts) : part.parts
  return {
    type,
    call_id: part.callId,
    output: parts.length === 0 ? '' : encodeContent(parts, notes),
  }
}

const errorMark = '[tool error] '

function markError(parts: readonly (TextPart | MediaPart)[]): readonly (TextPart | MediaPart)[] {
  const [first, ...rest] = parts
  if (first?.type === 'text') return [{ ...first, text: errorMark + first.text }, ...rest]
  return [{ type: 'text', text: errorMark.trimEnd() }, ...parts]
}

function encodeHosted(
  part: { readonly protocol: string; readonly json: string },
  notes: Notes,
  items: Item[],
): void {
  if (part.protocol === 'responses') items.push(new RawJson(part.json))
  else notes.lossy('messages', 'hosted_dropped')
}
