import type { Continuing } from '../protocol.ts'
import { encodeInputItems } from './encode-input-items.ts'
import { expandInput } from './expand-input.ts'
import { storedItemsOf } from './stored-items.ts'

export const continuing: Continuing = { expandInput, storedItemsOf, encodeInputItems }
