import { protocolNames } from '../../core/protocol-name.ts'
import { addressKind } from '../../fields/kinds.ts'
import { body, digits, exportFormat, flag, id, parameter, query, text, word } from './inputs.ts'
import { managedBodies } from './managed-bodies.ts'
import { type OperationTable, operator } from './operation.ts'
import { limit, pageRows } from './paging.ts'
import { doneAnswer } from './shapes.ts'
import {
  auditAnswer,
  explainAnswer,
  setupAnswer,
  setupModelAnswer,
  systemAnswer,
} from './system.ts'

const bodyCharactersMax = 400_000

const auditParameters = {
  actor: parameter,
  action: parameter.meta({
    description: 'What was done, or how its name begins, such as `key.`.',
  }),
  subject: parameter,
  from: digits,
  to: digits,
  before: digits,
}

/** What runs the gateway: explanations, the audit log, the state of the system, the set-up. */
export const systemOperations = {
  'POST /operate/explain': {
    ...operator,
    summary: 'What would happen to a request; nothing is sent or charged',
    body: body({
      protocol: word(protocolNames),
      keyId: id,
      /** The body as text, as a client would send it. */
      body: text(bodyCharactersMax),
      /** generate-content has the model in the path. */
      model: id.exactOptional(),
      isStream: flag.exactOptional(),
      /** As if it came from this address; absent: from here. */
      address: addressKind.wire.exactOptional(),
    }),
    answer: explainAnswer,
  },
  'GET /operate/audit': {
    ...operator,
    summary: 'Who changed what, the newest first',
    query: query({ ...auditParameters, limit: limit(pageRows.audit) }),
    answer: auditAnswer,
  },
  'GET /operate/audit/export': {
    ...operator,
    summary: 'The audit log as a file of comma-separated values or JSON lines',
    query: query({ ...auditParameters, format: exportFormat }),
    answer: null,
  },
  'GET /operate/system': {
    ...operator,
    summary: 'How the gateway and its processes are',
    answer: systemAnswer,
  },
  'GET /setup': { ...operator, summary: 'What a new gateway lacks', answer: setupAnswer },
  'POST /setup/close': { ...operator, summary: 'Offer the set-up no more', answer: doneAnswer },
  'POST /setup/model': {
    ...operator,
    summary: 'Make a model with its price and route in one go',
    body: managedBodies.setupModel,
    answer: setupModelAnswer,
  },
} as const satisfies OperationTable
