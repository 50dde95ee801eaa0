import type { Translation } from '../translation.ts'
import { openDecoder } from './decode-reply/decode-events.ts'
import { decodeReply } from './decode-reply/decode-reply.ts'
import { decodeRequest } from './decode-request/decode-request.ts'
import { openEncoder } from './encode-reply/encode-events.ts'
import { encodeReply } from './encode-reply/encode-reply.ts'
import { encodeRequest } from './encode-request/encode-request.ts'
import { fieldNames, toolRules } from './values/field-names.ts'

export const translation: Translation = {
  fieldNames,
  toolRules,
  compactedItems: ['compaction'],
  decodeRequest,
  encodeRequest,
  openEncoder,
  encodeReply,
  openDecoder,
  decodeReply,
}
