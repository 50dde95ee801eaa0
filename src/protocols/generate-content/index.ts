import type { Protocol } from '../protocol.ts'
import { clientCalls } from './client-calls.ts'
import { counting } from './counting.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { keepAlive } from './keep-alive.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { needsInline } from './needs-inline.ts'
import { passThrough } from './pass-through.ts'
import { translation } from './translation.ts'

export const generateContent: Protocol = {
  name: 'generate-content',
  family: 'google',
  clientCalls,
  opening: { instructions: ['systemInstruction', 'system_instruction'], turns: 'contents' },
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
