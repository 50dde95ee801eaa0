import { defaultProtocol, protocolNames } from '../../../core/neutral/protocol-name.ts'
import { singleAddressKind } from '../../../fields/kinds.ts'
import { stateFormats } from '../choices.ts'
import {
  body,
  digits,
  exportFormat,
  flag,
  flagParameter,
  id,
  oneOf,
  parameter,
  query,
  text,
} from '../inputs.ts'
import { managedBodies } from '../managed-bodies.ts'
import { limit, pageRows } from '../paging.ts'
import { doneAnswer } from '../shapes.ts'
import {
  appliedAnswer,
  auditAnswer,
  explainAnswer,
  ledgerCheckAnswer,
  provisionDocument,
  replayAnswer,
  setupAnswer,
  setupModelAnswer,
  systemAnswer,
} from '../system.ts'
import { type OperationTable, operator } from './operation.ts'

const bodyCharactersMax = 400_000
/** A state of a few thousand keys. Larger states are sent in parts: what a document does not name is left alone. */
const provisionBytesMax = 4 * 1024 * 1024

const auditParameters = {
  actor: parameter,
  action: parameter.meta({
    description: 'An action, or the beginning of its name, such as `key.`.',
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
    summary: 'Explain what would happen to a request; nothing is sent or charged',
    body: body({
      protocol: oneOf(protocolNames),
      keyId: id,
      /** The request body as text. */
      body: text(bodyCharactersMax),
      /** generate-content has the model in the path. */
      model: id.exactOptional(),
      isStream: flag.exactOptional(),
      /** Explains the request as if it came from this address; absent: the caller's address. */
      address: singleAddressKind.wire.exactOptional(),
    }),
    example: {
      protocol: defaultProtocol,
      keyId: 'acme-ci',
      body: '{"model": "demo-small", "messages": [{"role": "user", "content": "Hello"}]}',
    },
    answer: explainAnswer,
  },
  'GET /operate/audit': {
    ...operator,
    summary: 'List changes (audit log), newest first',
    query: query({ ...auditParameters, limit: limit(pageRows.audit) }),
    answer: auditAnswer,
  },
  'GET /operate/audit/export': {
    ...operator,
    summary: 'Export the audit log as CSV or JSON Lines',
    query: query({ ...auditParameters, format: exportFormat }),
    answer: null,
  },
  'GET /operate/system': {
    ...operator,
    summary: 'Show the state of the gateway and its processes',
    answer: systemAnswer,
  },
  'POST /operate/check-ledger': {
    ...operator,
    summary: 'Check that every charge is accounted for; the time grows with the size of the ledger',
    answer: ledgerCheckAnswer,
  },
  'POST /operate/replay': {
    ...operator,
    summary:
      'Apply the records of the answering process that the database had rejected, each exactly once',
    answer: replayAnswer,
  },
  'GET /operate/provision': {
    ...operator,
    summary: 'Export the whole state in the format of the config file, without secrets',
    query: query({ format: oneOf(stateFormats) }),
    answer: null,
    fileTypes: ['application/json', 'application/yaml'],
  },
  'POST /operate/provision': {
    ...operator,
    isFresh: true,
    summary: 'Apply a provisioning document, all or nothing',
    query: query({ dryRun: flagParameter, confirm: flagParameter }),
    body: provisionDocument,
    bodyBytesMax: provisionBytesMax,
    answer: appliedAnswer,
  },
  'GET /setup': {
    ...operator,
    summary: 'Show the remaining set-up steps of a new gateway',
    answer: setupAnswer,
  },
  'POST /setup/close': { ...operator, summary: 'Close the set-up', answer: doneAnswer },
  'POST /setup/model': {
    ...operator,
    summary: 'Create a model with its price and route',
    body: managedBodies.setupModel,
    answer: setupModelAnswer,
  },
} as const satisfies OperationTable
