import type { Protocol } from '../protocol.ts'
import { clientCalls } from './client-calls.ts'
import { counting } from './counting.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through/pass-through.ts'
import { translation } from './translation.ts'

/** Google's Python and Go clients fail on a comment. All of its clients ignore an empty event. */
const keepAlive = '\n\n'

const readByGoogle =
  /^https:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.)?youtube\.com|youtu\.be)\//

export const generateContent: Protocol = {
  name: 'generate-content',
  operationName: 'generate_content',
  family: 'google',
  clientCalls,
  opening: { instructions: ['systemInstruction', 'system_instruction'], turns: 'contents' },
  endUserPaths: [['labels', 'user_id']],
  passThrough,
  translation,
  upstreamSide: { carries: ['webSearch', 'audioInput'], needsInline, hasTwoSpellings: true },
  counting,
  keepAlive,
  earlyKeepAlive: keepAlive,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}

/** Google reads the files that it stores itself. It does not fetch any other URL. */
function needsInline(url: string): boolean {
  return !readByGoogle.test(url)
}
