import { errorCodesOf } from '../openai/error-codes.ts'
import { openaiLimitHeaders } from '../openai/limit-headers.ts'
import type { Protocol } from '../protocol.ts'
import { clientCalls } from './client-calls.ts'
import { continuing } from './continuing/continuing.ts'
import { counting } from './counting.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through/pass-through.ts'
import { translation } from './translation.ts'

export const responses: Protocol = {
  name: 'responses',
  operationName: 'chat',
  family: 'openai',
  clientCalls,
  opening: { instructions: ['instructions'], turns: 'input' },
  endUserPaths: [['safety_identifier'], ['user']],
  passThrough,
  translation,
  upstreamSide: { carries: ['webSearch'], callLimit: { kind: 'together' } },
  counting,
  continuing,
  encodeFault,
  errorCodesOf,
  encodeFaultEvent,
  limitHeaders: openaiLimitHeaders,
  encodeModelList,
  encodeModel,
}
