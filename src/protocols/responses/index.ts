import type { Protocol } from '../protocol.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'

export const responses: Protocol = {
  name: 'responses',
  passThrough: undefined,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}
