import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import {
  groupRow,
  groupsAnswer,
  modelDetail,
  modelGaps,
  modelsAnswer,
  startModelsAnswer,
} from '../catalog.ts'
import { body, flagParameter, oneOf, parameter, query, search, text } from '../inputs.ts'
import { managedBodies } from '../managed-bodies.ts'
import { cursor, limit, pageRows } from '../paging.ts'
import { doneAnswer } from '../shapes.ts'
import {
  credentialRow,
  routesAnswer,
  upstreamDetail,
  upstreamModelsAnswer,
  upstreamsAnswer,
  upstreamTestAnswer,
  vendorsAnswer,
} from '../upstreams.ts'
import { type OperationTable, operator } from './operation.ts'

const modelCharactersMax = 200
const after = cursor('text')
const place = { group: parameter, model: parameter, upstream: parameter }

/** Upstreams with credentials, routes, models with prices, groups. */
export const catalogOperations = {
  'GET /operate/vendors': {
    ...operator,
    summary: 'List the supported vendors',
    answer: vendorsAnswer,
  },
  'GET /operate/vendors/{id}/models': {
    ...operator,
    summary: 'List the known models of a vendor with their list prices',
    query: query({ baseUrl: parameter }),
    answer: startModelsAnswer,
  },
  'GET /operate/upstreams': {
    ...operator,
    summary: 'List upstreams by id',
    query: query({
      vendor: parameter,
      enabled: flagParameter,
      after,
      limit: limit(pageRows.upstreams),
    }),
    answer: upstreamsAnswer,
  },
  'POST /operate/upstreams': {
    ...operator,
    summary: 'Create an upstream',
    body: managedBodies.newUpstream,
    answer: upstreamDetail,
  },
  'GET /operate/upstreams/{id}': {
    ...operator,
    summary: 'Get an upstream',
    answer: upstreamDetail,
  },
  'PATCH /operate/upstreams/{id}': {
    ...operator,
    summary: 'Update an upstream; absent members stay unchanged',
    body: managedBodies.upstreamEdit,
    answer: upstreamDetail,
  },
  'PUT /operate/upstreams/{id}': {
    ...operator,
    summary: 'Create or replace an upstream; its credentials stay unchanged',
    body: managedBodies.putUpstream,
    answer: upstreamDetail,
  },
  'DELETE /operate/upstreams/{id}': {
    ...operator,
    summary: 'Delete an upstream and its routes',
    answer: doneAnswer,
  },
  'GET /operate/upstreams/{id}/models': {
    ...operator,
    summary: 'Ask an upstream for its list of models',
    answer: upstreamModelsAnswer,
  },
  'POST /operate/upstreams/{id}/test': {
    ...operator,
    isThrottled: true,
    summary: 'Send one small request with each credential in each protocol; no account is charged',
    body: body({
      /** The upstream's name for the model; absent: that of its first route. */
      model: text(modelCharactersMax).exactOptional(),
      /** Absent: every protocol that the upstream supports. */
      protocol: oneOf(protocolNames).exactOptional(),
    }),
    answer: upstreamTestAnswer,
  },
  'POST /operate/upstreams/{id}/credentials': {
    ...operator,
    summary: 'Add a credential to an upstream',
    body: managedBodies.newCredential,
    answer: credentialRow,
  },
  'PUT /operate/upstreams/{id}/credentials': {
    ...operator,
    summary: 'Create or replace the credential with this name',
    body: managedBodies.putCredential,
    answer: credentialRow,
  },
  'GET /operate/credentials/{id}': {
    ...operator,
    summary: 'Get a credential without its value',
    answer: credentialRow,
  },
  'PATCH /operate/credentials/{id}': {
    ...operator,
    summary: 'Update a credential; a new value is bound to the current host',
    body: managedBodies.credentialEdit,
    answer: credentialRow,
  },
  'DELETE /operate/credentials/{id}': {
    ...operator,
    summary: 'Delete a credential',
    answer: doneAnswer,
  },
  'GET /operate/routes': {
    ...operator,
    summary: 'List routes by group, model and priority',
    query: query({
      ...place,
      after: cursor('text', 'text', 'number', 'text'),
      limit: limit(pageRows.routes),
    }),
    answer: routesAnswer,
  },
  'PUT /operate/routes': {
    ...operator,
    summary: 'Replace all routes of a group and model, or of an upstream',
    query: query(place),
    body: managedBodies.routes,
    answer: routesAnswer,
  },
  'GET /operate/models': {
    ...operator,
    summary: 'List models',
    query: query({
      search,
      lacks: oneOf(['price', 'route']),
      after,
      limit: limit(pageRows.models),
    }),
    answer: modelsAnswer,
  },
  'POST /operate/models': {
    ...operator,
    summary: 'Create a model',
    body: managedBodies.newModel,
    answer: modelDetail,
  },
  'GET /operate/model-gaps': {
    ...operator,
    summary:
      'List models that lack a price or a route, and models that clients requested but that are not available',
    answer: modelGaps,
  },
  'GET /operate/models/{id}': { ...operator, summary: 'Get a model', answer: modelDetail },
  'PATCH /operate/models/{id}': {
    ...operator,
    summary: 'Update a model; absent members stay unchanged',
    body: managedBodies.modelEdit,
    answer: modelDetail,
  },
  'PUT /operate/models/{id}': {
    ...operator,
    summary: 'Create or replace a model',
    body: managedBodies.putModel,
    answer: modelDetail,
  },
  'DELETE /operate/models/{id}': { ...operator, summary: 'Delete a model', answer: doneAnswer },
  'POST /operate/models/{id}/prices': {
    ...operator,
    summary: 'Add a price version to a model',
    body: managedBodies.newPrice,
    answer: modelDetail,
  },
  'GET /operate/groups': {
    ...operator,
    summary: 'List groups by id',
    query: query({ search, after, limit: limit(pageRows.groups) }),
    answer: groupsAnswer,
  },
  'POST /operate/groups': {
    ...operator,
    summary: 'Create a group',
    body: managedBodies.newGroup,
    answer: groupRow,
  },
  'GET /operate/groups/{id}': { ...operator, summary: 'Get a group', answer: groupRow },
  'PATCH /operate/groups/{id}': {
    ...operator,
    summary: 'Update a group; absent members stay unchanged',
    body: managedBodies.groupEdit,
    answer: groupRow,
  },
  'PUT /operate/groups/{id}': {
    ...operator,
    summary: 'Create or replace a group',
    body: managedBodies.putGroup,
    answer: groupRow,
  },
  'DELETE /operate/groups/{id}': { ...operator, summary: 'Delete a group', answer: doneAnswer },
} as const satisfies OperationTable
