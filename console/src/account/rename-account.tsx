import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { accountDefinition } from '../../../src/accounts/definition/account.ts'
import type { AccountDetail } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { accountQuery, sessionQuery } from '../api/queries.ts'
import { RenameButton } from '../parts/forms/rename-button.tsx'

export function RenameAccount({ account: { id, name } }: { account: AccountDetail }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const rename = async (next: string) => {
    const body = { name: next }
    const changed = await call('PATCH /accounts/{id}', { params: { id }, body })
    queries.setQueryData(accountQuery(id).queryKey, changed)
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
  const { kind } = accountDefinition.fields.name
  return <RenameButton name={name} kind={kind} label={t('members.name')} onRename={rename} />
}
