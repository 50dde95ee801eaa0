import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AddMemberRequest } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { accountQuery } from '../api/queries.ts'
import { tellDone, tellFailed } from '../parts/tell.ts'
import { useErrorText } from '../parts/use-error-text.ts'

export interface MemberLink {
  readonly email: string
  readonly url: string
  readonly isInvitation: boolean
  /** Whether the link is also sent by email. */
  readonly isMailed: boolean
}

export interface AddingMember {
  /** The link created last. It cannot be shown again later. */
  readonly link: MemberLink | undefined
  forgetLink(): void
  add(requested: AddMemberRequest): Promise<void>
  addOrTell(requested: AddMemberRequest): void
}

/** Adds or invites a member, or creates a new link for an invited member. */
export function useAddMember(accountId: string): AddingMember {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [link, setLink] = useState<MemberLink>()
  const add = async (requested: AddMemberRequest) => {
    const { member, signInUrl, invitationUrl, isMailed } = await call(
      'POST /accounts/{id}/members',
      {
        params: { id: accountId },
        body: requested,
      },
    )
    const { email } = member
    tellDone(
      invitationUrl === null ? t('members.added', { email }) : t('members.invited', { email }),
    )
    const url = invitationUrl ?? signInUrl
    setLink(
      url === null ? undefined : { email, url, isInvitation: invitationUrl !== null, isMailed },
    )
    await queries.invalidateQueries({ queryKey: accountQuery(accountId).queryKey })
  }
  return {
    link,
    forgetLink: () => setLink(undefined),
    add,
    addOrTell: (requested) => {
      add(requested).catch((error: unknown) => tellFailed(errorText(error)))
    },
  }
}
