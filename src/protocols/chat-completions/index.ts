import { errorCodesOf } from '../openai/error-codes.ts'
import { openaiLimitHeaders } from '../openai/limit-headers.ts'
import type { Protocol } from '../protocol.ts'
import { clientCalls } from './client-calls.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through/pass-through.ts'
import { translation } from './translation.ts'

export const chatCompletions: Protocol = {
  name: 'chat-completions',
  operationName: 'chat',
  family: 'openai',
  clientCalls,
  opening: { instructions: [], turns: 'messages' },
  endUserPaths: [['safety_identifier'], ['user']],
  passThrough,
  translation,
  upstreamSide: {
    carries: ['webSearch', 'audioInput'],
    hasTwoLimits: true,
    takesPlainThoughts: (traits) => traits.reasoningReturn !== undefined,
  },
  counting: undefined,
  encodeFault,
  errorCodesOf,
  encodeFaultEvent,
  limitHeaders: openaiLimitHeaders,
  encodeModelList,
  encodeModel,
}
