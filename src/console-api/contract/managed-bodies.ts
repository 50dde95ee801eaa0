import {
  accountDefinition,
  newAccountDefinition,
  ownAccountDefinition,
} from '../../accounts/definition/account.ts'
import { memberDefinition, memberRoleDefinition } from '../../accounts/definition/member.ts'
import { newUserDefinition, userDefinition } from '../../accounts/definition/user.ts'
import { tokenDefinition } from '../../admin-tokens/definition/token.ts'
import { groupDefinition } from '../../catalog/definition/group.ts'
import {
  modelDefinition,
  newModelDefinition,
  newPriceDefinition,
} from '../../catalog/definition/model.ts'
import { routedModelDefinition, routesDefinition } from '../../catalog/definition/route.ts'
import {
  credentialDefinition,
  newUpstreamDefinition,
  upstreamDefinition,
} from '../../catalog/definition/upstream.ts'
import { editSchema, newSchema } from '../../fields/definition.ts'
import { keyDefinition } from '../../keys/definition/key.ts'

/* The bodies of managed things, as their definitions say. */

export const managedBodies = {
  accountName: newSchema(ownAccountDefinition),
  newMember: newSchema(memberDefinition),
  memberEdit: newSchema(memberRoleDefinition),
  newKey: newSchema(keyDefinition),
  keyEdit: editSchema(keyDefinition),
  newToken: newSchema(tokenDefinition),
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
