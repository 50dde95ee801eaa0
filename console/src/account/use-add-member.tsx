import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountDetail, AddMemberRequest } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { accountQuery } from '../api/queries.ts'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
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
  /** Ask for a recent sign-in, which a new owner needs, and whether a repeated invitation is meant. */
  readonly dialogs: ReactNode
  forgetLink(): void
  /** Returns false if the user does not want to repeat an invitation. */
  add(requested: AddMemberRequest): Promise<boolean>
  addOrNotify(requested: AddMemberRequest): void
}

/** Adds or invites a member, or creates a new link for an invited member. */
export function useAddMember({ id: accountId, members }: AccountDetail): AddingMember {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [link, setLink] = useState<MemberLink>()
  const [runFresh, freshDialog] = useFreshSignIn()
  const [ask, confirmation] = useConfirm()
  // A repeated invitation ends what the person has set up with the earlier one.
  const isMeant = ({ email }: AddMemberRequest) => {
    const isSame = (member: string) => member === email.toLowerCase()
    if (!members.some((each) => isSame(each.email) && each.hasSignedIn && !each.isProven))
      return true
    return new Promise<boolean>((resolve) => {
      ask({
        title: t('members.newLinkTitle', { email }),
        text: t('members.newLinkText'),
        action: t('members.newLink'),
        onYes: () => resolve(true),
        onNo: () => resolve(false),
      })
    })
  }
  const add = async (requested: AddMemberRequest) => {
    if (!(await isMeant(requested))) return false
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
    return true
  }
  return {
    link,
    dialogs: (
      <>
        {freshDialog}
        {confirmation}
      </>
    ),
    forgetLink: () => setLink(undefined),
    add,
    addOrNotify: (requested) => {
      add(requested).catch((error: unknown) => notifyFailure(errorText(error)))
    },
  }
}
