import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AddMemberRequest } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { accountQuery } from '../api/queries.ts'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'

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
  /** Asks for a recent sign-in, which a new owner needs. */
  readonly freshDialog: ReactNode
  forgetLink(): void
  add(requested: AddMemberRequest): Promise<void>
  addOrNotify(requested: AddMemberRequest): void
}

/** Adds or invites a member, or creates a new link for an invited member. */
export function useAddMember(accountId: string): AddingMember {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [link, setLink] = useState<MemberLink>()
  const [runFresh, freshDialog] = useFreshSignIn()
  const add = async (requested: AddMemberRequest) => {
    const send = () =>
      call('POST /accounts/{id}/members', { params: { id: accountId }, body: requested })
    const added = (await runFresh(send)) ?? (await send())
    const { member, signInUrl, invitationUrl, isMailed } = added
    const { email } = member
    notifySuccess(
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
    freshDialog,
    forgetLink: () => setLink(undefined),
    add,
    addOrNotify: (requested) => {
      add(requested).catch((error: unknown) => notifyFailure(errorText(error)))
    },
  }
}
