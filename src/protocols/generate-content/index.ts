import type { Protocol } from '../protocol.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'

export const generateContent: Protocol = {
  name: 'generate-content',
  passThrough: undefined,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}
