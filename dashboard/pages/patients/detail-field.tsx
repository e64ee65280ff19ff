import { TextInput } from '@mantine/core';
import { BirthDateField, type FilledForm } from '#forms';
import { useExamplePhone } from '#words';
import { type DetailName, details } from './details';

interface DetailFieldProps extends ReturnType<FilledForm<Record<DetailName, string>>['field']> {
  name: DetailName;
  'data-autofocus'?: true;
}

/** The field in which staff write down what they know of a patient. */
export function DetailField({ name, ...field }: DetailFieldProps) {
  const { isDate, input } = details[name];
  const phone = useExamplePhone();
  return isDate ? (
    <BirthDateField {...field} />
  ) : (
    <TextInput autoComplete="off" placeholder={name === 'phone' ? phone : undefined} {...input} {...field} />
  );
}
