import { protocolNames } from '../../core/protocol-name.ts'
import { addressKind } from '../../fields/kinds.ts'
import { stateFormats } from './choices.ts'
import {
  body,
  digits,
  exportFormat,
  flag,
  flagParameter,
  id,
  parameter,
  query,
  text,
  word,
} from './inputs.ts'
import { managedBodies } from './managed-bodies.ts'
import { type OperationTable, operator } from './operation.ts'
import { limit, pageRows } from './paging.ts'
import { doneAnswer } from './shapes.ts'
import {
  appliedAnswer,
  auditAnswer,
  booksAnswer,
  explainAnswer,
  provisionDocument,
  replayAnswer,
  setupAnswer,
  setupModelAnswer,
  systemAnswer,
} from './system.ts'

const bodyCharactersMax = 400_000
/** A state of a few thousand keys. Larger states are sent in parts: what a document does not name is left alone. */
const provisionBytesMax = 4 * 1024 * 1024

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

/** Operation of the gateway: explanations, audit log, system state, setup. */
export const systemOperations = {
  'POST /operate/explain': {
    ...operator,
    summary: 'What would happen to a request; nothing is sent or charged',
    body: body({
      protocol: word(protocolNames),
      keyId: id,
      /** The request body as text. */
      body: text(bodyCharactersMax),
      /** generate-content has the model in the path. */
      model: id.exactOptional(),
      isStream: flag.exactOptional(),
      /** Explains the request as if it came from this address; absent: the caller's address. */
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
  'POST /operate/check-books': {
    ...operator,
    summary:
      'Check the whole ledger: that every charge is accounted for; takes as long as the ledger is',
    answer: booksAnswer,
  },
  'POST /operate/replay': {
    ...operator,
    summary:
      'Apply the records that the database had refused to the process that answers, each once',
    answer: replayAnswer,
  },
  'GET /operate/provision': {
    ...operator,
    summary: 'All that there is, in the words of the config file and without secrets',
    query: query({ format: word(stateFormats) }),
    answer: null,
    fileTypes: ['application/json', 'application/yaml'],
  },
  'POST /operate/provision': {
    ...operator,
    isFresh: true,
    summary: 'Make what a document names exist as it says, all or nothing',
    query: query({ dryRun: flagParameter }),
    body: provisionDocument,
    bodyBytesMax: provisionBytesMax,
    answer: appliedAnswer,
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
