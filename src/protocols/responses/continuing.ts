import type { Continuing } from '../protocol.ts'
import { compactingBody } from './compacting-body.ts'
import { encodeInputItems } from './encode-input-items.ts'
import { expandInput, referredItems } from './expand-input.ts'
import { storedInputOf, storedItemsOf } from './stored-items.ts'

export const continuing: Continuing = {
  referredItems,
  expandInput,
  storedInputOf,
  storedItemsOf,
  encodeInputItems,
  compactingBody,
  compactingPath: '/compact',
  replyIdPrefix: 'resp_',
  replyIdIn: (responseText) => /^\{"id":"(resp_[A-Za-z0-9]+)"/.exec(responseText)?.[1],
}
