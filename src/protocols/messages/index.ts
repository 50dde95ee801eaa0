import type { Protocol } from '../protocol.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'

export const messages: Protocol = {
  name: 'messages',
  passThrough: undefined,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}
