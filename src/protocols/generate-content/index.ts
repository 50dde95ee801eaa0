import type { Protocol } from '../protocol.ts'
import { counting } from './counting.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { keepAlive } from './keep-alive.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through.ts'
import { translation } from './translation.ts'

export const generateContent: Protocol = {
  name: 'generate-content',
  passThrough,
  translation,
  counting,
  keepAlive,
  breath: keepAlive,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}
