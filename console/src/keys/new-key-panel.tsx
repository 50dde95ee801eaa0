import { Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CreateKeyRequest, KeyPut } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { keyOptionsQuery, keyQuery } from '../api/queries.ts'
import { useScope } from '../parts/dialogs/unsaved.tsx'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { Select } from '../parts/forms/select.tsx'
import { useOwnAccounts } from '../shell/use-own-accounts.ts'
import { refreshKeys } from './key-cache.ts'
import { KeyForm } from './key-form.tsx'
import { KeyKindField } from './key-kind-field.tsx'
import { useOwnsAccount } from './use-key-rights.ts'

interface NewKeyPanelProps {
  /** The account that is selected on the page. */
  readonly account: string | undefined
  readonly onMade: (made: KeyPut) => void
  readonly onClose: () => void
}

/** Memoized like the panel of a key. */
export const NewKeyPanel = memo(function NewKeyPanel(props: NewKeyPanelProps) {
  const { account, onMade, onClose } = props
  const { t } = useTranslation()
  const queries = useQueryClient()
  const accounts = useOwnAccounts()
  const [chosen, choose] = useState<string>()
  const [isService, setService] = useState(false)
  const scope = useScope()
  const accountId = account ?? chosen ?? accounts[0]?.id
  const mayChoose = useOwnsAccount(accountId)
  const options = useQuery({
    ...keyOptionsQuery(accountId ?? ''),
    enabled: accountId !== undefined,
  })
  return (
    <Stack gap="lg">
      {account === undefined && accounts.length > 1 && (
        <Select
          label={t('keys.account')}
          data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          value={accountId ?? null}
          onChange={(id) => id !== null && scope.leave(() => choose(id))}
          allowDeselect={false}
          searchable={accounts.length > 8}
        />
      )}
      {options.error && <PageError error={options.error} reset={() => void options.refetch()} />}
      {options.isLoading && <PagePending />}
      {mayChoose && options.data && (
        <KeyKindField mayOwn={options.data.mayOwn} isService={isService} onChange={setService} />
      )}
      {options.data && accountId !== undefined && (
        <KeyForm
          key={accountId}
          options={options.data}
          submitLabel={t('keys.create')}
          mayRank={mayChoose}
          onCancel={onClose}
          onSave={(settings) => {
            const kind = mayChoose && isService ? { ownerId: null } : {}
            const body: CreateKeyRequest = { ...settings, ...kind, accountId }
            return call('POST /keys', { body })
          }}
          onSaved={(made) => {
            queries.setQueryData(keyQuery(made.key.id).queryKey, made.key)
            onMade(made)
            void refreshKeys(queries)
          }}
        />
      )}
    </Stack>
  )
})
