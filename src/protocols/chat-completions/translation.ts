import type { Translation } from '../translation.ts'
import { openDecoder } from './decode-events.ts'
import { decodeReply } from './decode-reply.ts'
import { decodeRequest } from './decode-request.ts'
import { openEncoder } from './encode-events.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { fieldNames, toolRules } from './field-names.ts'

export const translation: Translation = {
  fieldNames,
  toolRules,
  decodeRequest,
  encodeRequest,
  openEncoder,
  encodeReply,
  openDecoder,
  decodeReply,
}
