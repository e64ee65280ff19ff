import { Button, type ButtonProps } from '@mantine/core';
import { useAction } from '#forms';
import { IconDownload } from '#icons';

interface File {
  name: string;
  text: string;
  /** Its media type. */
  type: string;
}

interface ExportButtonProps {
  label: string;
  file: () => Promise<File>;
  size?: ButtonProps['size'];
}

/** Asks for a file when it is pressed, and saves it; what goes wrong is said. */
export function ExportButton({ label, file, size }: ExportButtonProps) {
  const save = useAction({ mutationFn: async () => download(await file()) });
  return (
    <Button
      size={size}
      variant="default"
      leftSection={<IconDownload size={size === 'xs' ? 14 : 16} aria-hidden />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {label}
    </Button>
  );
}

/** Hands a text to the browser as a file; the address that it comes from carries no token. */
function download({ name, text, type }: File): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
