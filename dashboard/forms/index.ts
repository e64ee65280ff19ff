// What pages take from this folder.
export * from './action-button';
export * from './action-form';
export * from './action';
export * from './confirm';
export * from './dialog';
export * from './dialog-end';
export * from './duration-input';
export * from './editable';
export * from './form-end';
export * from './hours-editor';
export * from './leaving';
export * from './number-field';
export * from './refusal';
export * from './secret-dialog';
export * from './settings-check';
export * from './typed-field';
export * from './use-action-form';
