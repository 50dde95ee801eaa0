import type { Translation } from '../translation.ts'
import { openDecoder } from './decode-events.ts'
import { decodeReply } from './decode-reply.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeReply, openEncoder } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { fieldNames } from './field-names.ts'
import { toolRules } from './tool-rules.ts'

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
