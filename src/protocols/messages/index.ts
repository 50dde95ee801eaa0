import type { Protocol } from '../protocol.ts'
import { counting } from './counting.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { keepAlive } from './keep-alive.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through.ts'
import { translation } from './translation.ts'

export const messages: Protocol = {
  name: 'messages',
  passThrough,
  translation,
  counting,
  keepAlive,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}
