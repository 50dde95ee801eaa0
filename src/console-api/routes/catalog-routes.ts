import type { catalogOperations } from '../contract/operations/catalog-operations.ts'
import {
  addCredential,
  deleteCredential,
  editCredential,
  putCredential,
  readCredential,
} from '../handlers/operate/credentials.ts'
import {
  createGroup,
  deleteGroup,
  editGroup,
  listGroups,
  putGroupRow,
  readGroup,
} from '../handlers/operate/groups.ts'
import { readModelGaps } from '../handlers/operate/model-gaps.ts'
import {
  createModel,
  deleteModel,
  editModel,
  listModels,
  putModelRow,
  readModel,
} from '../handlers/operate/models.ts'
import { addPrice } from '../handlers/operate/prices.ts'
import { putRouteRows, readRoutes } from '../handlers/operate/routes.ts'
import { readUpstreamModels, testUpstreamNow } from '../handlers/operate/upstream-tests.ts'
import {
  createUpstream,
  deleteUpstream,
  editUpstream,
  listUpstreams,
  putUpstreamRow,
  readUpstream,
} from '../handlers/operate/upstreams.ts'
import { listVendors, readStartModels } from '../handlers/operate/vendors.ts'
import type { Handlers } from './route.ts'

export const catalogHandlers: Handlers<typeof catalogOperations> = {
  'GET /operate/vendors': listVendors,
  'GET /operate/vendors/{id}/models': readStartModels,
  'GET /operate/upstreams': listUpstreams,
  'POST /operate/upstreams': createUpstream,
  'GET /operate/upstreams/{id}': readUpstream,
  'PATCH /operate/upstreams/{id}': editUpstream,
  'PUT /operate/upstreams/{id}': putUpstreamRow,
  'DELETE /operate/upstreams/{id}': deleteUpstream,
  'GET /operate/upstreams/{id}/models': readUpstreamModels,
  'POST /operate/upstreams/{id}/test': testUpstreamNow,
  'POST /operate/upstreams/{id}/credentials': addCredential,
  'PUT /operate/upstreams/{id}/credentials': putCredential,
  'GET /operate/credentials/{id}': readCredential,
  'PATCH /operate/credentials/{id}': editCredential,
  'DELETE /operate/credentials/{id}': deleteCredential,
  'GET /operate/routes': readRoutes,
  'PUT /operate/routes': putRouteRows,
  'GET /operate/models': listModels,
  'POST /operate/models': createModel,
  'GET /operate/model-gaps': readModelGaps,
  'GET /operate/models/{id}': readModel,
  'PATCH /operate/models/{id}': editModel,
  'PUT /operate/models/{id}': putModelRow,
  'DELETE /operate/models/{id}': deleteModel,
  'POST /operate/models/{id}/prices': addPrice,
  'GET /operate/groups': listGroups,
  'POST /operate/groups': createGroup,
  'GET /operate/groups/{id}': readGroup,
  'PATCH /operate/groups/{id}': editGroup,
  'PUT /operate/groups/{id}': putGroupRow,
  'DELETE /operate/groups/{id}': deleteGroup,
}
