import type { ToolRules, Translation } from '../translation.ts'
import { decodeReply, openDecoder } from './decode-events.ts'
import { decodeRequest } from './decode-request.ts'
import { openEncoder } from './encode-events.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { fieldNames } from './field-names.ts'

const toolRules: ToolRules = {
  nameLengthMax: 128,
  // The service also requires a letter or an underscore at the beginning.
  namePattern: /^[a-zA-Z_][a-zA-Z0-9_:.-]*$/,
  callIdLengthMax: 128,
  callIdPattern: /^.+$/s,
  takesCustomTools: false,
  takesNamespaces: false,
}

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
