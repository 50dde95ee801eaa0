import type { Protocol } from '../protocol.ts'
import { clientCalls } from './client-calls.ts'
import { counting } from './counting.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { limitHeaders } from './limit-headers.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through/pass-through.ts'
import { translation } from './translation.ts'

/** The keep-alive of this protocol: its clients do not count comment lines as activity. */
const keepAlive = 'event: ping\ndata: {"type": "ping"}\n\n'

export const messages: Protocol = {
  name: 'messages',
  operationName: 'chat',
  family: 'anthropic',
  clientCalls,
  opening: { instructions: ['system'], turns: 'messages' },
  endUserPaths: [['metadata', 'user_id']],
  passThrough,
  translation,
  upstreamSide: {
    carries: ['webSearch'],
    callLimit: { kind: 'each', features: ['webSearch', 'webFetch'] },
  },
  counting,
  keepAlive,
  encodeFault,
  encodeFaultEvent,
  limitHeaders,
  encodeModelList,
  encodeModel,
}
