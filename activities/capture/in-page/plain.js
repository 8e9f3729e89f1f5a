/**
 * An element to read from, when it may be a form: a form answers with its field where it has one of the asked name, even
 * to scripts in a world of their own. For properties only: where an element itself is asked for, this one is none.
 */
function plain(element) {
  if (!(element instanceof HTMLFormElement)) return element;
  return new Proxy(element, {
    get(form, name) {
      const value = Reflect.get(Object.getPrototypeOf(form), name, form);
      return typeof value === 'function' ? value.bind(form) : value;
    },
  });
}
