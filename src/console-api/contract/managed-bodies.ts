import {
  accountDefinition,
  newAccountDefinition,
  ownAccountDefinition,
} from '../../accounts/definition/account.ts'
import { memberDefinition, newMemberDefinition } from '../../accounts/definition/member.ts'
import { newUserDefinition, userDefinition } from '../../accounts/definition/user.ts'
import { tokenDefinition } from '../../admin-tokens/definition/token.ts'
import { alertDefinition } from '../../alerts/definition/alert.ts'
import { groupDefinition } from '../../catalog/definition/group.ts'
import {
  modelDefinition,
  newModelDefinition,
  newPriceDefinition,
} from '../../catalog/definition/model.ts'
import { priceKind } from '../../catalog/definition/price.ts'
import { routedModelDefinition, routesDefinition } from '../../catalog/definition/route.ts'
import {
  credentialDefinition,
  newUpstreamDefinition,
  upstreamDefinition,
} from '../../catalog/definition/upstream.ts'
import {
  define,
  editSchema,
  maybe,
  newSchema,
  putSchema,
  without,
} from '../../fields/definition.ts'
import { keyDefinition, newKeyDefinition } from '../../keys/definition/key.ts'
import { recordingPolicyDefinition } from '../../recording/definition/policy.ts'

/* Bodies of managed resources, from their definitions. */

const id = ['id'] as const
/** A price that differs from the newest version becomes a new version; absent: no change. */
const putModel = define('model', {
  ...without(modelDefinition, id).fields,
  price: maybe(priceKind, { about: 'The price; absent: it stays unchanged.', by: 'operator' }),
})

export const managedBodies = {
  putKey: putSchema(keyDefinition),
  putUpstream: putSchema(without(upstreamDefinition, id)),
  putCredential: newSchema(credentialDefinition),
  putModel: putSchema(putModel),
  putGroup: putSchema(without(groupDefinition, id)),
  putAccount: putSchema(without(accountDefinition, id)),
  putAlert: putSchema(alertDefinition),
  putUser: putSchema(without(userDefinition, ['email'])),
  accountName: newSchema(ownAccountDefinition),
  newMember: newSchema(newMemberDefinition),
  memberEdit: editSchema(memberDefinition),
  newKey: newSchema(newKeyDefinition),
  keyEdit: editSchema(keyDefinition),
  newToken: newSchema(tokenDefinition),
  recordingEdit: editSchema(recordingPolicyDefinition),
  newAlert: newSchema(alertDefinition),
  alertEdit: editSchema(alertDefinition),
  newUpstream: newSchema(newUpstreamDefinition),
  upstreamEdit: editSchema(upstreamDefinition),
  newCredential: newSchema(credentialDefinition),
  credentialEdit: editSchema(credentialDefinition),
  routes: newSchema(routesDefinition),
  newModel: newSchema(newModelDefinition),
  modelEdit: editSchema(modelDefinition),
  newPrice: newSchema(newPriceDefinition),
  newGroup: newSchema(groupDefinition),
  groupEdit: editSchema(groupDefinition),
  newAccount: newSchema(newAccountDefinition),
  accountEdit: editSchema(accountDefinition),
  newUser: newSchema(newUserDefinition),
  userEdit: editSchema(userDefinition),
  setupModel: newSchema(routedModelDefinition),
}
