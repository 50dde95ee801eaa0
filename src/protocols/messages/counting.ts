import type { JsonText } from '../../core/neutral/model-request.ts'
import { countAt, isObject } from '../../wire/json.ts'
import { scanJson } from '../../wire/scan-json.ts'
import type { Counting } from '../protocol.ts'
import { decodeRequest } from './decode-request/decode-request.ts'
import { decodeCountFacts } from './pass-through/decode-facts.ts'
import { encodeForward } from './pass-through/pass-through.ts'

/** The fields that a count request shares with a request. The API rejects any other field. */
const counted = [
  'model',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'context_management',
  'mcp_servers',
]

export const counting: Counting = {
  decodeCount: decodeCountFacts,
  decodeCountRequest: decodeRequest,
  encodeForward,
  encodeCountRequest,
  readCount: (value) => (isObject(value) ? countAt(value, 'input_tokens') : undefined),
  encodeCount: (inputTokens) => ({ input_tokens: inputTokens }),
}

function encodeCountRequest(generatingBody: JsonText): JsonText {
  const scan = scanJson(generatingBody, Number.POSITIVE_INFINITY)
  if (!scan.ok) return generatingBody
  const kept = counted.flatMap((name) => {
    const span = scan.members.get(name)
    return span ? [generatingBody.slice(span.memberStart, span.valueEnd)] : []
  })
  return `{${kept.join(',')}}`
}
