import { Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { GroupChoice } from '../../../src/console-api/contract.ts'
import { memoized } from '../parts/forms/memoized.tsx'
import { OrderList } from '../parts/forms/order-list.tsx'
import { Select } from '../parts/forms/select.tsx'
import type { KeyFormValues } from './key-form-values.ts'

interface GroupFieldProps {
  readonly choices: readonly GroupChoice[]
  readonly values: Pick<KeyFormValues, 'groupMode' | 'group' | 'order'>
  readonly onChange: (change: Partial<Pick<KeyFormValues, 'groupMode' | 'group' | 'order'>>) => void
  readonly error?: string | undefined
}

/** A single group, or several in order of preference. */
export const GroupField = memoized(function GroupField({
  choices,
  values,
  onChange,
  error,
}: GroupFieldProps) {
  const { t } = useTranslation()
  const note = (id: string) => {
    const choice = choices.find((each) => each.id === id)
    if (!choice) return t('keys.form.gone')
    const models = t('keys.form.groupModels', { count: choice.modelCount })
    return `${t('keys.form.factor', { factor: choice.factor })} · ${models}`
  }
  const rest = choices.filter(({ id }) => !values.order.includes(id))
  const known = choices.map(({ id }) => id)
  const oneData =
    known.includes(values.group) || values.group === '' ? known : [values.group, ...known]
  return (
    <Input.Wrapper label={t('keys.form.groupMode')} error={error} labelElement="div">
      <Stack gap="xs" mt={4}>
        <SegmentedControl
          aria-label={t('keys.form.groupMode')}
          fullWidth
          data={[
            { value: 'one', label: t('keys.form.one') },
            { value: 'order', label: t('keys.form.order') },
          ]}
          value={values.groupMode}
          onChange={(mode) => onChange({ groupMode: mode === 'one' ? 'one' : 'order' })}
        />
        {values.groupMode === 'one' ? (
          <Select
            aria-label={t('keys.form.groupMode')}
            data={oneData}
            value={values.group === '' ? null : values.group}
            onChange={(group) => group !== null && onChange({ group })}
            allowDeselect={false}
            searchable={oneData.length > 8}
            renderOption={({ option }) => (
              <div>
                <Text size="sm">{option.value}</Text>
                <Text size="xs" c="dimmed">
                  {note(option.value)}
                </Text>
              </div>
            )}
            description={values.group === '' ? undefined : note(values.group)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
        ) : (
          <>
            <Text size="xs" c="dimmed">
              {t('keys.form.groupOrderHint')}
            </Text>
            <OrderList
              label={t('keys.form.orderLabel')}
              ids={values.order}
              note={note}
              onChange={(order) => onChange({ order })}
            />
            {rest.length > 0 && (
              <Select
                aria-label={t('keys.form.addGroup')}
                placeholder={t('keys.form.addGroup')}
                data={rest.map(({ id }) => id)}
                value={null}
                onChange={(id) => id !== null && onChange({ order: [...values.order, id] })}
              />
            )}
          </>
        )}
      </Stack>
    </Input.Wrapper>
  )
})
