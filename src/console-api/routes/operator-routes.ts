import {
  createAccount,
  editAccount,
  listAccounts,
  readOperatorAccount,
  releaseAccount,
} from '../answers/operate/accounts.ts'
import { readAuditLog } from '../answers/operate/audit-log.ts'
import { addCredential, deleteCredential, editCredential } from '../answers/operate/credentials.ts'
import { addCredit, reverseOneCredit } from '../answers/operate/credits.ts'
import { explainRequest } from '../answers/operate/explain.ts'
import {
  createGroup,
  deleteGroup,
  editGroup,
  listGroups,
  readGroup,
} from '../answers/operate/groups.ts'
import { readModelGaps } from '../answers/operate/model-gaps.ts'
import {
  createModel,
  deleteModel,
  editModel,
  listModels,
  readModel,
} from '../answers/operate/models.ts'
import { addPrice } from '../answers/operate/prices.ts'
import { putRouteRows, readRoutes } from '../answers/operate/routes.ts'
import { readSystem } from '../answers/operate/system.ts'
import { askUpstreamModels, testUpstreamNow } from '../answers/operate/trials.ts'
import {
  createUpstream,
  deleteUpstream,
  editUpstream,
  listUpstreams,
  readUpstream,
} from '../answers/operate/upstreams.ts'
import {
  createUserRow,
  deleteUser,
  editUser,
  listUsers,
  makeLink,
  readUser,
  resetTotp,
  vouchForUser,
} from '../answers/operate/users.ts'
import { listVendors, readStartModels } from '../answers/operate/vendors.ts'
import { closeSetup, readSetup, setUpModel } from '../answers/setup/setup.ts'
import type { Route } from '../route.ts'

const operator = { who: 'admin', owns: 'everything' } as const
const GET = { method: 'GET', ...operator } as const
const POST = { method: 'POST', ...operator } as const
const PATCH = { method: 'PATCH', ...operator } as const
const DELETE = { method: 'DELETE', ...operator } as const

/** What runs the gateway. */
export const operatorRoutes: readonly Route[] = [
  { ...GET, path: '/operate/vendors', answer: listVendors },
  { ...GET, path: '/operate/vendors/{id}/models', answer: readStartModels },
  { ...GET, path: '/operate/upstreams', answer: listUpstreams },
  { ...POST, path: '/operate/upstreams', answer: createUpstream },
  { ...GET, path: '/operate/upstreams/{id}', answer: readUpstream },
  { ...PATCH, path: '/operate/upstreams/{id}', answer: editUpstream },
  { ...DELETE, path: '/operate/upstreams/{id}', answer: deleteUpstream },
  { ...GET, path: '/operate/upstreams/{id}/models', answer: askUpstreamModels },
  { ...POST, path: '/operate/upstreams/{id}/test', answer: testUpstreamNow },
  { ...POST, path: '/operate/upstreams/{id}/credentials', answer: addCredential },
  { ...PATCH, path: '/operate/credentials/{id}', answer: editCredential },
  { ...DELETE, path: '/operate/credentials/{id}', answer: deleteCredential },
  { ...GET, path: '/operate/routes', answer: readRoutes },
  { method: 'PUT', ...operator, path: '/operate/routes', answer: putRouteRows },
  { ...GET, path: '/operate/models', answer: listModels },
  { ...POST, path: '/operate/models', answer: createModel },
  { ...GET, path: '/operate/models/gaps', answer: readModelGaps },
  { ...GET, path: '/operate/models/{id}', answer: readModel },
  { ...PATCH, path: '/operate/models/{id}', answer: editModel },
  { ...DELETE, path: '/operate/models/{id}', answer: deleteModel },
  { ...POST, path: '/operate/models/{id}/prices', answer: addPrice },
  { ...GET, path: '/operate/groups', answer: listGroups },
  { ...POST, path: '/operate/groups', answer: createGroup },
  { ...GET, path: '/operate/groups/{id}', answer: readGroup },
  { ...PATCH, path: '/operate/groups/{id}', answer: editGroup },
  { ...DELETE, path: '/operate/groups/{id}', answer: deleteGroup },
  { ...GET, path: '/operate/accounts', answer: listAccounts },
  { ...POST, path: '/operate/accounts', answer: createAccount },
  { ...GET, path: '/operate/accounts/{id}', answer: readOperatorAccount },
  { ...PATCH, path: '/operate/accounts/{id}', answer: editAccount },
  { ...POST, path: '/operate/accounts/{id}/credits', answer: addCredit },
  { ...POST, path: '/operate/credits/{id}/reverse', answer: reverseOneCredit },
  { ...POST, path: '/operate/accounts/{id}/release', answer: releaseAccount },
  { ...GET, path: '/operate/users', answer: listUsers },
  { ...POST, path: '/operate/users', answer: createUserRow },
  { ...GET, path: '/operate/users/{id}', answer: readUser },
  { ...PATCH, path: '/operate/users/{id}', answer: editUser },
  { ...DELETE, path: '/operate/users/{id}', answer: deleteUser },
  { ...POST, path: '/operate/users/{id}/sign-in-link', isFresh: true, answer: makeLink },
  { ...POST, path: '/operate/users/{id}/vouch', isFresh: true, answer: vouchForUser },
  { ...POST, path: '/operate/users/{id}/totp/remove', isFresh: true, answer: resetTotp },
  { ...POST, path: '/operate/explain', answer: explainRequest },
  { ...GET, path: '/operate/audit', answer: readAuditLog },
  { ...GET, path: '/operate/system', answer: readSystem },
  { ...GET, path: '/setup', answer: readSetup },
  { ...POST, path: '/setup/close', answer: closeSetup },
  { ...POST, path: '/setup/model', answer: setUpModel },
]
