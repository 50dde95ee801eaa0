import { z } from 'zod'
import type { AccountEdit, AddMemberRequest, MemberEdit } from './account.ts'
import type {
  AddPriceRequest,
  CreateGroupRequest,
  CreateModelRequest,
  GroupEdit,
  ModelEdit,
} from './catalog.ts'
import type { CreateKeyRequest, KeyEdit } from './keys.ts'
import type {
  CreateAccountRequest,
  CreateUserRequest,
  OperatorAccountEdit,
  UserEdit,
} from './people.ts'
import type { SetupModelRequest } from './system.ts'
import type {
  AddCredentialRequest,
  CreateUpstreamRequest,
  CredentialEdit,
  PutRoutesRequest,
  UpstreamEdit,
} from './upstreams.ts'

/* The bodies of managed things. Their handlers read the members themselves. */

function bodyOf<Sent>(): z.ZodType<{ readonly [name: string]: unknown }, Sent> {
  return z.looseObject({}) as never
}

export const managedBodies = {
  accountName: bodyOf<AccountEdit>(),
  newMember: bodyOf<AddMemberRequest>(),
  memberEdit: bodyOf<MemberEdit>(),
  newKey: bodyOf<CreateKeyRequest>(),
  keyEdit: bodyOf<KeyEdit>(),
  newUpstream: bodyOf<CreateUpstreamRequest>(),
  upstreamEdit: bodyOf<UpstreamEdit>(),
  newCredential: bodyOf<AddCredentialRequest>(),
  credentialEdit: bodyOf<CredentialEdit>(),
  routes: bodyOf<PutRoutesRequest>(),
  newModel: bodyOf<CreateModelRequest>(),
  modelEdit: bodyOf<ModelEdit>(),
  newPrice: bodyOf<AddPriceRequest>(),
  newGroup: bodyOf<CreateGroupRequest>(),
  groupEdit: bodyOf<GroupEdit>(),
  newAccount: bodyOf<CreateAccountRequest>(),
  accountEdit: bodyOf<OperatorAccountEdit>(),
  newUser: bodyOf<CreateUserRequest>(),
  userEdit: bodyOf<UserEdit>(),
  setupModel: bodyOf<SetupModelRequest>(),
}
