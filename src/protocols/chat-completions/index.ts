import type { Protocol } from '../protocol.ts'
import { encodeFault, encodeFaultEvent } from './faults.ts'
import { encodeModel, encodeModelList } from './models.ts'
import { passThrough } from './pass-through.ts'
import { translation } from './translation.ts'

export const chatCompletions: Protocol = {
  name: 'chat-completions',
  passThrough,
  translation,
  counting: undefined,
  encodeFault,
  encodeFaultEvent,
  encodeModelList,
  encodeModel,
}
