import { ActionIcon, Group, Paper, Stack, Switch, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { GroupGrant } from '../../../../src/console-api/contract.ts'
import { IconX } from '../../icons/icons.ts'
import { memoized } from '../../parts/forms/memoized.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { MomentInput } from '../parts/moment-input.tsx'

interface GrantFieldsProps {
  /** Null if all accounts may use the group. */
  readonly value: readonly GroupGrant[] | null
  readonly onChange: (grants: readonly GroupGrant[] | null) => void
}

/** The accounts that may use a group, and the end of each grant. */
export const GrantFields = memoized(function GrantFields({ value, onChange }: GrantFieldsProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs">
      <Switch
        label={t('groups.restricted')}
        description={t('groups.restrictedHint')}
        checked={value !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? [] : null)}
      />
      {value?.length === 0 && (
        <Text size="sm" c="orange">
          {t('groups.nobody')}
        </Text>
      )}
      {value?.map((grant) => (
        <Grant
          key={grant.accountId}
          grant={grant}
          onChange={(changed) =>
            onChange(value.map((each) => (each.accountId === changed.accountId ? changed : each)))
          }
          onRemove={() => onChange(value.filter((each) => each.accountId !== grant.accountId))}
        />
      ))}
      {value && (
        <AccountSelect
          aria-label={t('groups.addAccount')}
          placeholder={t('groups.addAccount')}
          without={value.map(({ accountId }) => accountId)}
          onChoose={({ id, name }) =>
            onChange([...value, { accountId: id, accountName: name, until: null }])
          }
        />
      )}
    </Stack>
  )
})

function Grant(props: {
  grant: GroupGrant
  onChange: (grant: GroupGrant) => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  const { grant } = props
  const name = grant.accountName ?? grant.accountId
  return (
    <Paper withBorder p="xs">
      <Group gap="xs" justify="space-between">
        <div>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {isOver(grant) && (
            <Text size="xs" c="orange">
              {t('groups.ended')}
            </Text>
          )}
        </div>
        <Group gap={4} wrap="nowrap">
          <MomentInput
            size="xs"
            w={176}
            placeholder={t('groups.noEnd')}
            aria-label={t('groups.until', { name })}
            value={grant.until}
            onChange={(until) => props.onChange({ ...grant, until })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('order.remove', { name })}
            onClick={props.onRemove}
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      </Group>
    </Paper>
  )
}

function isOver({ until }: GroupGrant): boolean {
  return until !== null && until <= Date.now()
}
