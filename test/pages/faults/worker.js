setTimeout(() => {
  throw new Error('worker failed');
});
