import type { Protocol } from '../protocol.ts'
import { continuing } from './continuing.ts'
import { counting } from './counting.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through.ts'
import { translation } from './translation.ts'

export const responses: Protocol = {
  name: 'responses',
  passThrough,
  translation,
  counting,
  continuing,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}
